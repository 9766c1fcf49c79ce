import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { waitingFor } from '../../../demo/wordpress/progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function wait(milliseconds: number) {
  const lines: string[] = []
  const work = new Promise((resolve) => setTimeout(resolve, milliseconds, 'done'))
  const waited = waitingFor('Fetching', (line) => lines.push(line), work)
  return { lines, waited }
}

it('says nothing of a wait below two seconds', async () => {
  const { lines, waited } = wait(1_900)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await waited).toBe('done')
  expect(lines).toEqual([])
})

it('says after two seconds what is waited for, and again every ten', async () => {
  const { lines, waited } = wait(23_000)
  await vi.advanceTimersByTimeAsync(60_000)
  await waited
  expect(lines).toEqual(['Fetching (2 s) …', 'Fetching (12 s) …', 'Fetching (22 s) …'])
})
