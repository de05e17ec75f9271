# Completion of mkt for fish.
function __mkt_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    for line in (mkt __complete fish $words "$current" 2>/dev/null)
        if test "$line" = ':files'
            # In --file=x the path begins after the equals sign.
            set -l flag (string match -r '^--[^=]*=' -- $current)
            for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "$current"))
                echo -- "$flag$path"
            end
        else
            echo -- $line
        end
    end
end
complete -c mkt -f -a '(__mkt_complete)'
