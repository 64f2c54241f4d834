# SPDX-License-Identifier: Apache-2.0
"""The pages of the site that are made from the repository's data."""
