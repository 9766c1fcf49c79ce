/** `npm run rights` prints into docs/api.md which key may make which call, from the endpoints themselves. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { mayBeLimited, mayUse, roles } from '../src/accounts/rights.ts'
import type { Endpoint } from '../src/http/endpoint.ts'
import { endpoints } from './openapi/routes.ts'

const PAGE = new URL('../docs/api.md', import.meta.url)

/** What stands around the table on the page. */
const [BEGIN, END] = ['<!-- rights: written by npm run rights -->', '<!-- /rights -->']

/** The table: a line a call, in the order of their addresses. */
export function rightsTable(): string {
  const lines = endpoints()
    .toSorted((one, other) => compare(one.path, other.path) || compare(one.method, other.method))
    .map(({ method, path, right, action = 'none' }: Endpoint) => [
      `\`${method.toUpperCase()} ${path}\``,
      `\`${right}\``,
      ...roles.map((role) => (mayUse(role, right) ? '✓' : '')),
      mayBeLimited(right) ? '✓' : '',
      action === 'none' ? '' : `\`${action}\``,
    ])
  const head = ['call', 'right', ...roles, 'limited', 'audit log']
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The page with the table in it. */
export function withTable(page: string): string {
  const [before, rest = ''] = page.split(BEGIN)
  return `${before}${BEGIN}\n${rightsTable()}\n${END}${rest.slice(rest.indexOf(END) + END.length)}`
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8')))
