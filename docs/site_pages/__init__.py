# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of the site from the repository's data."""
