import { readFileSync } from 'node:fs'

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')

/** In backticks, several words, and yet nothing that is typed. */
const NO_COMMANDS = ['upstream galley', 'ask …']

/** What begins as a program, with settings before it or not, or as SQL; `name = value` is a setting of some file. */
const COMMAND =
  /^(?:(?:[A-Z_]+=\S+ )*[a-z][\w.-]* (?!= )|(?:ALTER|CREATE|DELETE FROM|DROP|GRANT|INSERT|REVOKE|SELECT|UPDATE|VACUUM) )\S/

/** Every command of docs/operations.md, as it is typed, in the order of the page: of blocks, and within sentences. */
export function commandsOfPage(text = page): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.split('\n'))
  const sentences = text.replace(/^```.*?^```$/gms, '')
  const spans = [...sentences.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replace(/\s+/g, ' '))
  return [
    ...new Set([...blocks.map(withoutComment).filter((line) => line !== ''), ...spans.filter(isCommand)]),
  ]
}

const isCommand = (span: string): boolean => COMMAND.test(span) && !NO_COMMANDS.includes(span)

const withoutComment = (line: string): string => line.replace(/(?:^|\s+)#.*$/, '').trim()

/** The settings of a container, each with the command beside it that makes its value. */
export const madeSettings = (text = page): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=… +# (".*")$/gm)].map(([, name = '', command = '']) => [name, command]),
  )
