export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Each script asks the command line which words may follow. It sends the words of the line on stdin, one on
 * each line, because a shell cannot write JSON and a file name may contain any character except a line end.
 * When there is no suggestion, the shell offers files.
 */
const scripts: Record<Shell, string> = {
  bash: `# footfall completion bash > ~/.local/share/bash-completion/completions/footfall
_footfall() {
  local word line=()
  COMPREPLY=()
  line=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(printf '%s\\n' "\${line[@]}" | footfall completion bash --words 2> /dev/null)
}
complete -o default -F _footfall footfall
`,
  zsh: `#compdef footfall
# footfall completion zsh > "\${fpath[1]}/_footfall"
_footfall() {
  local -a found
  found=("\${(@f)$(printf '%s\\n' "\${(@)words[2,CURRENT]}" | footfall completion zsh --words 2> /dev/null)}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then compadd -- "\${found[@]}"; else _files; fi
}
if [ "\${funcstack[1]}" = _footfall ]; then _footfall "$@"; else compdef _footfall footfall; fi
`,
  fish: `# footfall completion fish > ~/.config/fish/completions/footfall.fish
function __footfall_words
    set -l line (commandline -opc)[2..-1] (commandline -ct)
    set -l found (printf '%s\\n' $line | footfall completion fish --words 2> /dev/null)
    if count $found > /dev/null
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c footfall -f -a '(__footfall_words)'
`,
}

/** What the shell runs once. */
export function completionScript(shell: Shell): string {
  return scripts[shell]
}
