# Installs icenReg and what it needs into the library that is named, with R's own installer: from the repositories that
# R is set to, else from CRAN's first mirror, else from sources in the folder $SPOTBOT_R_PACKAGES.
own <- commandArgs(TRUE)[1]
there <- function() nzchar(system.file(package = "icenReg"))
dir.create(own, recursive = TRUE, showWarnings = FALSE)
.libPaths(c(own, .libPaths()))
if (!there()) {
  options(timeout = 60, Ncpus = 2)
  if (any(getOption("repos") == "@CRAN@")) chooseCRANmirror(ind = 1)
  install.packages("icenReg", lib = own, quiet = TRUE)
}
folder <- Sys.getenv("SPOTBOT_R_PACKAGES")
if (!there() && nzchar(folder)) {
  sources <- Sys.glob(file.path(folder, paste0(c("MLEcens", "icenReg"), "*.tar.gz")))
  install.packages(sources, lib = own, repos = NULL, type = "source", INSTALL_opts = "--no-docs")
}
if (!there()) quit(status = 1)
