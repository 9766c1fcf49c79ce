import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { messagesIn } from '../scripts/messages/collect.ts'
import { messagesPage } from '../scripts/messages.ts'

const page = readFileSync(new URL('../docs/messages.md', import.meta.url), 'utf8')

test('docs/messages.md is what the source says: npm run messages', () => {
  expect(page).toBe(messagesPage())
})

/** What nobody says aloud to a customer. */
const unsaid =
  /\b(shall|shalt|anew|mend(ed)?|whence|hence|hereby|thereof|therein|thereto|lest|forthwith|ere|oft|thither|whither|yonder|betwixt|amidst|albeit|nay|verily|it is gone|as (it|they) came|may not do this|that Galley is on|would not be made|too many tries|shown this once|here stands|mightier|the one so far|all the same|in the midst|goes? on at once|if this goes on|opens? nothing|at work on as m|given up on|dislike[sd]?)\b/i

test('no sentence has words that one would not say to a customer', () => {
  expect(page.split('\n').filter((line) => unsaid.test(line))).toEqual([])
  expect('- An editor if Galley shall make it.').toMatch(unsaid)
})

test('no number of things is said without its plural', () => {
  const counts = page.split('\n').filter((line) => /\{(length|count)\} (?!bytes)\w+s\b/.test(line))
  expect(counts.filter((line) => !line.includes('at most {MAX_ROWS}'))).toEqual([])
})

test('the page is in it, each text with its plural', () => {
  expect(page).toContain('\n- Connect the first site\n')
  expect(page).toContain('\n- %d attempt / %d attempts\n')
})

test('sentences are found wherever they stand, and no statement of SQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'galley-messages-'))
  const file = join(folder, 'some.ts')
  writeFileSync(
    file,
    `import { x } from 'not a module of ours'
    type Y = 'a word of a type'
    const code = 'not_a_sentence', path = 'wp/v2/posts'
    throw new Error(\`The site \${site.name} did not answer: \${a ? 'it is away' : 'no'}. \` + 'Try again later.')
    const page = html\`<p>All is <em>well</em>.</p>\`
    pool.query('SELECT a FROM b WHERE c = 1')
    prisma.$queryRaw\`anything at all here\`
    const part = ', told AS (SELECT', column = "d.error ->> 'code' AS code", policy = "default-src 'none'; sandbox"
    const names = 'html head body frameset script style template svg math'
    const reason = 'its headers are longer than Galley reads'`,
  )
  expect(messagesIn([file], folder)).toEqual([
    'All is well .',
    'The site {name} did not answer: {…}. Try again later.',
    'it is away',
    'its headers are longer than Galley reads',
  ])
  rmSync(folder, { recursive: true, force: true })
})
