dir=$1
shift
while IFS= read -r line && [ -n "$line" ]; do
  value=$(printf "%b." "${line#*=}")
  export "${line%%=*}=${value%.}"
done
[ -z "$dir" ] || cd "$dir" || exit 125
pipe=$(mktemp -d) && mkfifo "$pipe/in" || exit 125
exec 3<&0
"$@" <"$pipe/in" 3<&- &
cli=$!
{
  trap 'kill "$!"; exit' TERM
  cat <&3 >"$pipe/in" & wait "$!"
  exec 3<&-
  sleep 10 & wait "$!"
  kill -TERM "$cli"
  sleep 3 & wait "$!"
  kill -KILL "$cli"
} >/dev/null 2>&1 &
end=$!
exec 3<&-
trap "kill -TERM $cli" TERM INT HUP
while wait "$cli"; code=$?; kill -0 "$cli" 2>/dev/null; do :; done
kill "$end" 2>/dev/null
rm -r "$pipe"
exit "$code"
