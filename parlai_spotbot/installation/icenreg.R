# Installs icenReg and what it needs into the library that is named, with R's own installer: from the repositories that
# R is set to, else from CRAN's first mirror.
own <- commandArgs(TRUE)[1]
there <- function() nzchar(system.file(package = "icenReg"))
dir.create(own, recursive = TRUE, showWarnings = FALSE)
.libPaths(c(own, .libPaths()))
if (!there()) {
  options(timeout = 60, Ncpus = 2)
  if (any(getOption("repos") == "@CRAN@")) chooseCRANmirror(ind = 1)
  install.packages("icenReg", lib = own, quiet = TRUE)
}
if (!there()) quit(status = 1)
