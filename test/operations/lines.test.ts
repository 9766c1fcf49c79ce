import { expect, test } from 'vitest'
import { splitLines } from '../../src/operations/backup/restore.ts'

async function* piecesOf(text: string, length: number) {
  for (let from = 0; from < text.length; from += length) yield text.slice(from, from + length)
}

/** Microseconds of this process in which a line of so many pieces is put together. */
async function timeOf(pieces: number): Promise<number> {
  const text = `${'a'.repeat(pieces * 1_000)}\n`
  const began = process.cpuUsage()
  for await (const line of splitLines(piecesOf(text, 1_000))) expect(line.length).toBe(text.length - 1)
  const { user, system } = process.cpuUsage(began)
  return user + system
}

test.each([1, 2, 3, 7, 100])('a text that comes in pieces of %i is its lines', async (length) => {
  const lines = ['', 'one', '', '', 'two and more', '#end']
  const found: string[] = []
  for await (const line of splitLines(piecesOf(`${lines.join('\n')}\nnot ended`, length))) found.push(line)
  expect(found).toEqual(lines)
})

test('a long line takes time that grows with it', async () => {
  const growths: number[] = []
  for (let round = 0; round < 5; round += 1) growths.push((await timeOf(4_000)) / (await timeOf(500)))
  // 8 where it is linear, 64 where it is quadratic.
  expect(Math.min(...growths)).toBeLessThan(24)
})
