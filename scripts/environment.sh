# Sourced: what scripts and tests see of the caller's environment, which is what a new machine has, so
# that no variable of a shell changes what they do.

# is_kept NAME: HOME, PATH, the terminal's kind, CI, and how package tools reach their servers.
is_kept() {
  case $1 in
    HOME | PATH | TERM | CI) ;;
    [Hh][Tt][Tt][Pp]_[Pp][Rr][Oo][Xx][Yy] | [Hh][Tt][Tt][Pp][Ss]_[Pp][Rr][Oo][Xx][Yy]) ;;
    [Aa][Ll][Ll]_[Pp][Rr][Oo][Xx][Yy] | [Ff][Tt][Pp]_[Pp][Rr][Oo][Xx][Yy] | [Nn][Oo]_[Pp][Rr][Oo][Xx][Yy]) ;;
    SSL_CERT_FILE | SSL_CERT_DIR | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE | GIT_SSL_CAINFO) ;;
    PIP_CERT | PIP_CLIENT_CERT | PIP_CONFIG_FILE | PIP_INDEX_URL | PIP_EXTRA_INDEX_URL) ;;
    PIP_FIND_LINKS | PIP_NO_INDEX | PIP_TRUSTED_HOST | PIP_PROXY) ;;
    PIP_CACHE_DIR | PIP_DEFAULT_TIMEOUT | PIP_RETRIES) ;;
    *) return 1 ;;
  esac
}

# clean_environment: leaves what is kept, with the system's own tools before others and the UTF-8
# locale that every Debian has.
clean_environment() {
  local name
  for name in $(compgen -e); do
    is_kept "$name" || unset "$name" 2>/dev/null || export -n "$name"
  done
  export HOME=${HOME:-~} LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin:${PATH:-}
}
