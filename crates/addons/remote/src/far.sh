agentwire_dir=$1
shift
agentwire_hold=
while :; do
  IFS= read -r agentwire_line || exit 125
  case $agentwire_line in
  "") break ;;
  hold) agentwire_hold=1 && continue ;;
  esac
  agentwire_value=$(printf "%b." "${agentwire_line#*=}")
  export "${agentwire_line%%=*}=${agentwire_value%.}"
done
[ -z "$agentwire_dir" ] || CDPATH= cd -- "$agentwire_dir" || exit 125
agentwire_pipe=$(mktemp -d) && mkfifo "$agentwire_pipe/in" || exit 125
exec 3<&0
"$@" <"$agentwire_pipe/in" 3<&- &
agentwire_cli=$!
{
  trap 'kill "$!"; exit' TERM
  [ -z "$agentwire_hold" ] || exec 4>"$agentwire_pipe/in"
  cat <&3 >"$agentwire_pipe/in" & wait "$!"
  exec 3<&-
  [ -n "$agentwire_hold" ] || { sleep 10 & wait "$!"; }
  kill -TERM "$agentwire_cli"
  sleep 3 & wait "$!"
  kill -KILL "$agentwire_cli"
} >/dev/null 2>&1 &
agentwire_end=$!
exec 2>/dev/null
exec 3<&-
trap "kill -TERM $agentwire_cli" TERM INT HUP
while wait "$agentwire_cli"; agentwire_code=$?; kill -0 "$agentwire_cli" 2>/dev/null; do :; done
kill "$agentwire_end" 2>/dev/null
rm -r "$agentwire_pipe"
exit "$agentwire_code"
