# Records one call of a build tool, then becomes the tool. The lines above this text set
# knockon_tool, its name; knockon_known, where it was when the capture began; knockon_here, the
# directory of the stand-ins; knockon_records and knockon_log.
# Whatever fails here, the tool is run.

# The tool is looked up at each call, because a build may put its own tools on PATH. Only what
# stands behind the stand-ins counts: a wrapper before them may be the one that calls us.
knockon_real=
knockon_ifs=$IFS
IFS=:
set -f
for knockon_entry in $PATH; do
    knockon_file=${knockon_entry:-.}/$knockon_tool
    if [ "$knockon_entry" = "$knockon_here" ]; then
        knockon_real=
    elif [ -z "$knockon_real" ] && [ -f "$knockon_file" ] && [ -x "$knockon_file" ]; then
        knockon_real=$knockon_file
    fi
done
set +f
IFS=$knockon_ifs
knockon_real=${knockon_real:-$knockon_known}

# A process id may be used again in one build.
knockon_number=0
while [ -e "$knockon_records/$$-$knockon_number" ]; do
    knockon_number=$((knockon_number + 1))
done
knockon_name=$$-$knockon_number

# The final mark keeps newlines at the end of a directory's name.
knockon_directory=$(pwd -P && echo .)
knockon_directory=${knockon_directory%??}

knockon_responses=0
for knockon_argument in "$@"; do
    case $knockon_argument in
    @?*) [ -f "${knockon_argument#@}" ] && knockon_responses=$((knockon_responses + 1)) ;;
    esac
done

{
    {
        printf '%s\0' "$knockon_name" "${KNOCKON_CAPTURE_STEP-}" "$knockon_directory" "$knockon_real"
        printf '%s\0' $(($# + 1)) "$knockon_real" "$@"
        printf '%s\0' 4 "CPATH=${CPATH-}" "C_INCLUDE_PATH=${C_INCLUDE_PATH-}" \
            "CPLUS_INCLUDE_PATH=${CPLUS_INCLUDE_PATH-}" "LIBRARY_PATH=${LIBRARY_PATH-}"
        printf '%s\0' "$knockon_responses"
        for knockon_argument in "$@"; do
            case $knockon_argument in
            @?*)
                if [ -f "${knockon_argument#@}" ]; then
                    printf '%s\0' "${knockon_argument#@}"
                    command -p cat "${knockon_argument#@}"
                    printf '\0'
                fi
                ;;
            esac
        done
    } >"$knockon_records/$knockon_name"
    # "reference", the name, and a NUL behind each.
    printf 'K1 %s\nreference\0%s\0' $((11 + ${#knockon_name})) "$knockon_name" >>"$knockon_log"
} 2>/dev/null

KNOCKON_CAPTURE_STEP=$knockon_name
export KNOCKON_CAPTURE_STEP
exec "$knockon_real" "$@"
