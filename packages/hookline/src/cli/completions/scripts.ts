/** The shells that `hookline completions` knows, with the script that each loads. The scripts ask `hookline` itself, so they never grow old. */
export const scripts: { readonly [shell: string]: string } = {
  bash: `# hookline completions bash: add this to ~/.bashrc:  eval "$(hookline completions bash)"
_hookline() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_LINE:0:COMP_POINT}"
  # bash cuts words at colons, as in tool:before; the line is cut at blanks only.
  local -a words
  IFS=' ' read -r -a words <<< "$line"
  [[ "$line" == *' ' ]] && words+=('')
  local full="\${words[\${#words[@]}-1]}"
  COMPREPLY=($(hookline completions --words -- "\${words[@]:1}" 2>/dev/null | cut -f1))
  local cut="\${full%"$word"}" i
  for i in "\${!COMPREPLY[@]}"; do COMPREPLY[$i]="\${COMPREPLY[$i]#"$cut"}"; done
}
complete -o default -F _hookline hookline
`,
  zsh: `#compdef hookline
# hookline completions zsh: add this to ~/.zshrc, after compinit:  eval "$(hookline completions zsh)"
_hookline() {
  local -a found described
  found=("\${(@f)$(hookline completions --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $found; do described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); done
  [[ -z "$found" ]] && { _files; return }
  _describe hookline described
}
compdef _hookline hookline
`,
  fish: `# hookline completions fish: hookline completions fish > ~/.config/fish/completions/hookline.fish
function __hookline_complete
  set -l words (commandline -opc) (commandline -ct)
  hookline completions --words -- $words[2..-1] 2>/dev/null
end
complete -c hookline -f -n '__hookline_complete | string length -q' -a '(__hookline_complete)'
`,
};
