import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { startShaky } from '../../bench/delivery/shaky.ts'

test('one of each so many requests fails, in turn reset, answered 502 without effect and 500 after it', async () => {
  let arrived = 0
  const server = createServer((_, response) => {
    arrived += 1
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const shaky = await startShaky(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const ask = async (requests: number) => {
    const answers: (number | 'reset')[] = []
    for (let n = 0; n < requests; n += 1)
      answers.push(
        await fetch(shaky.url).then(
          ({ status }) => status,
          () => 'reset' as const,
        ),
      )
    return answers
  }
  try {
    expect(await ask(5)).toEqual([200, 200, 200, 200, 200])
    expect(shaky.counted()).toBe(5)
    shaky.failOneIn(4)
    arrived = 0
    const rounds = [await ask(4), await ask(4), await ask(4)]
    const failed = rounds.map((answers) => answers.filter((answer) => answer !== 200))
    expect(failed.flat().sort()).toEqual([500, 502, 'reset'])
    expect(failed.map(({ length }) => length)).toEqual([1, 1, 1])
    expect({ arrived, counted: shaky.counted() }).toEqual({ arrived: 10, counted: 12 })
  } finally {
    await shaky.close()
    server.close()
    server.closeAllConnections()
  }
})
