# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file -DKIND=headers|ptx -DROOT=folder -DFILES=a;b -P embed.cmake: text as string literals,
# in pieces that compilers take.
function(literal file out)
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "R\"hlocts(${piece})hlocts\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${out} "${pieces}" PARENT_SCOPE)
endfunction()

set(result "")
foreach(file ${FILES})
  literal(${file} text)
  if(KIND STREQUAL headers)
    file(RELATIVE_PATH name ${ROOT} ${file})
    string(APPEND result "{\"${name}\",\n${text}},\n")
  else()
    string(APPEND result "#include \"backends/engine/cuda/runtime/compile.h\"\n"
           "const char hlocts::cuda::kGenericPtx[] =\n${text};\n")
  endif()
endforeach()
file(WRITE ${OUT} "${result}")
