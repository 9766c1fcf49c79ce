import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { transitions } from '../../src/delivery/ledger/state.ts'

/** Arrows of a state diagram in a page: `from → to`; a delivery begins at `[*]`. */
async function drawn(): Promise<string[]> {
  const page = await readFile('docs/architecture.md', 'utf8')
  const diagram = /Of a delivery[\s\S]*?```mermaid\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const arrows = [...diagram.matchAll(/^\s*(\S+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`)
  return [...new Set(arrows)].sort()
}

test('the diagram of the states shows every move that there is, and no other', async () => {
  const arrows = Object.values(transitions).flatMap(({ from, to }) =>
    from.flatMap((one) => to.filter((other) => other !== one).map((other) => `${one} → ${other}`)),
  )
  const first = transitions.plan.to.map((state) => `[*] → ${state}`)
  expect(await drawn()).toEqual([...new Set([...first, ...arrows])].sort())
})

test('no file but the one of the transitions says where a delivery goes', async () => {
  const writing: string[] = []
  for (const file of await readdir('src', { recursive: true })) {
    if (!file.endsWith('.ts') || file.startsWith('database/generated')) continue
    const text = await readFile(`src/${file}`, 'utf8')
    const writes = /(?:UPDATE|INTO) delivery\b/.test(text)
    if (writes && /(?:\bSET|,)\s+status\s*=/.test(text)) writing.push(file)
    if (/\.delivery\.(?:update|create|upsert)/.test(text)) writing.push(file)
  }
  expect(writing).toEqual([])
})
