import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { messagesIn } from './messages/collect.ts'
import { ownTexts } from './translations.ts'

/*
 * npm run messages: writes every sentence that a person may read into docs/messages.md, to be read in one sitting.
 * With --check, as npm run lint asks, it only says whether the page is up to date.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const page = join(root, 'docs/messages.md')

const head = `# Every sentence

What Galley says to people: answers of its API, failures and warnings, the doctor's findings, pages, descriptions in
\`/openapi.json\`, the command line and the log, and then what [the page](dashboard.md) says. Written from the source by
\`npm run messages\`; \`{…}\` stands for what is filled in, on the page \`%s\` and \`%d\`.

`

/** The page as it should be. */
export function messagesPage(): string {
  const source = join(root, 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(source, name))
  return `${head}## Galley\n\n${list(messagesIn(files, root))}\n## The page\n\n${list(saidByPage())}`
}

const list = (messages: readonly string[]): string => messages.map((message) => `- ${message}\n`).join('')

/** Sentences and words of the page; a text with a plural is shown with both. */
const saidByPage = (): string[] =>
  [...ownTexts()]
    .map(([text, plural]) => {
      const one = text.split('\u0004').at(-1) ?? ''
      return plural === undefined ? one : `${one} / ${plural}`
    })
    .sort()

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!process.argv.includes('--check')) writeFileSync(page, messagesPage())
  else if (readFileSync(page, 'utf8') !== messagesPage()) {
    console.error('docs/messages.md is not what the source says: run "npm run messages" and commit it.')
    process.exitCode = 1
  }
}
