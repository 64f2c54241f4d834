# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file -DROOT=folder -DFILES=a;b -P embed.cmake: writes the headers as string literals.
# Each is divided into pieces, because compilers limit the length of a literal.
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
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND result "{\"${name}\",\n${text}},\n")
endforeach()
file(WRITE ${OUT} "${result}")
