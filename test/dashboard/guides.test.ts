import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { guidePage } from '../../src/http/routers/docs.ts'

const sources = readdirSync('dashboard/src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => readFileSync(`dashboard/src/${name}`, 'utf8'))

const linked = new Set(
  sources.flatMap((source) =>
    [...source.matchAll(/(?:guide|Guide to)="([^"]*)"/g)].map(([, to]) => to ?? ''),
  ),
)

it('every link of the page to the documentation leads to a heading that is there', async () => {
  expect(linked.size).toBeGreaterThan(8)
  for (const to of linked) {
    const [name = '', anchor] = to.split('#')
    expect((await guidePage(name)).body.text, to).toContain(`id="${anchor}"`)
  }
})
