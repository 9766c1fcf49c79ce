import { Argument, type Command } from 'commander'
import type { CliCommand } from '../options.ts'
import type { CliWorld } from '../world.ts'

export function completion(command: CliCommand, world: CliWorld): void {
  command
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .examples('galley completion bash', 'galley completion zsh', 'galley completion fish')
    .action(async (shell: Shell) => {
      const program = command.parent as Command
      for (const child of program.commands) await loadCommands(child)
      await world.write(completionScripts[shell](completionWords(program)))
    })
}

export type Shell = 'bash' | 'zsh' | 'fish'

/** What may follow a command: `sites list` → its options, `sites` → its commands. The program itself is ''. */
export type CompletionWords = ReadonlyMap<string, readonly string[]>

export function completionWords(program: Command): CompletionWords {
  const words = new Map<string, string[]>()
  const walk = (command: Command, path: string) => {
    const options = command.options.flatMap(({ long }) => (long ? [long] : []))
    const names = command.commands.map((child) => child.name())
    words.set(path, [...names, ...options, '--help'])
    for (const child of command.commands) walk(child, `${path} ${child.name()}`.trim())
  }
  walk(program, '')
  return words
}

/** Of `galley sites add --name x`, the commands before the word under way; options and what follows them are none. */
const bash = (
  words: CompletionWords,
) => `# galley completion bash: put it where bash-completion looks, or source it.
_galley() {
  local path="" word candidates
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${commandPaths(words, '|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${[...words].map(([path, list]) => `    "${path}") candidates="${list.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=()
  while IFS= read -r word; do [ -n "$word" ] && COMPREPLY+=("$word"); done < <(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}")
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _galley galley
`

const zsh = (words: CompletionWords) => `#compdef galley
# galley completion zsh: keep it as _galley in a folder of fpath.
_galley() {
  local line="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${line:+$line }$word" in
      ${commandPaths(words, '|')}) line="\${line:+$line }$word" ;;
    esac
  done
  local -a candidates
  case "$line" in
${[...words].map(([path, list]) => `    "${path}") candidates=(${list.join(' ')}) ;;`).join('\n')}
  esac
  compadd -a candidates || _files
}
if [ "$funcstack[1]" = "_galley" ]; then _galley "$@"; else compdef _galley galley; fi
`

const fish = (words: CompletionWords) =>
  `# galley completion fish: keep it as galley.fish in ~/.config/fish/completions.
function __galley_at
  set -l path ""
  set -l words (commandline -opc)
  set -e words[1]
  for word in $words
    switch (string trim "$path $word")
      case ${commandPaths(words, ' ')}
        set path (string trim "$path $word")
    end
  end
  test "$path" = "$argv[1]"
end
${[...words]
  .flatMap(([path, list]) =>
    list.map((word) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`
      return `complete -c galley -n '__galley_at "${path}"' ${what}`
    }),
  )
  .join('\n')}
`

const commandPaths = (words: CompletionWords, between: string): string =>
  [...words.keys()]
    .filter((path) => path !== '')
    .map((path) => `"${path}"`)
    .join(between)

export const completionScripts: Readonly<Record<Shell, (words: CompletionWords) => string>> = {
  bash,
  zsh,
  fish,
}

const loaders = new WeakMap<Command, () => Promise<void>>()

export const registerLoader = (command: Command, load: () => Promise<void>): void =>
  void loaders.set(command, load)

/** Gives a command of the program the rest of itself, once. */
export async function loadCommands(command: Command): Promise<void> {
  const load = loaders.get(command)
  loaders.delete(command)
  await load?.()
}
