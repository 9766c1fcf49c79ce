import { expect } from 'vitest'
import { killProcess, query, test } from '../../support/database/embedded-test.ts'
import { samples } from '../../support/random.ts'

test('a second Galley on the same folder is refused with a sentence, and the first goes on', async ({
  start,
  dataDir,
}) => {
  const first = start()
  const { connectionString } = await first.saw('ready')
  const refusal = await start().saw('failed')
  expect(refusal.code).toBe('data_folder_in_use')
  expect(refusal.message).toBe(
    `Another Galley (galley, process ${first.pid}) already uses the data folder ${dataDir}. ` +
      'Stop that one first, or give this one a folder of its own with GALLEY_DATA_DIR.',
  )
  expect(await query(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('of four that start at the same instant on an empty folder one wins, and the others are refused', async ({
  start,
  emptyDir,
}) => {
  const outcomes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const started = start(emptyDir)
      return await Promise.race([started.saw('ready'), started.saw('failed')])
    }),
  )
  const kinds = outcomes.map((outcome) => (outcome.event === 'failed' ? outcome.code : outcome.event))
  expect(kinds.sort()).toEqual(['data_folder_in_use', 'data_folder_in_use', 'data_folder_in_use', 'ready'])
})

test('the folder is free again the moment its Galley was killed', async ({ start }) => {
  const first = start()
  await first.saw('ready')
  await killProcess(first)
  expect((await start().saw('ready')).event).toBe('ready')
})

test('a Galley that slept while its server died and another took over is told so, and lets go', async ({
  start,
}) => {
  const first = start()
  const { pid } = await first.saw('ready')
  first.signal('SIGSTOP')
  process.kill(pid, 'SIGKILL')
  const second = start()
  const { connectionString } = await second.saw('ready')
  first.signal('SIGCONT')
  const lost = await first.saw('lost')
  expect(lost.code).toBe('data_folder_in_use')
  expect(lost.message).toContain(`process ${second.pid}`)

  first.signal('SIGTERM')
  await first.exited
  expect(await query(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a start that overlaps an end waits for it, time after time, without an error', async ({ start }) => {
  let last = start()
  await last.saw('ready')
  for (let turn = 0; turn < samples(30); turn += 1) {
    last.signal('SIGTERM')
    const next = start()
    await next.saw('ready')
    await last.exited
    last = next
  }
})
