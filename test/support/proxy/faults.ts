import { setTimeout as wait } from 'node:timers/promises'
import type { Fault, Reply } from './types.ts'

/** The connection is reset before WordPress hears of the request. */
export const resetBefore: Fault = { name: 'reset before sending', apply: ({ reset }) => reset() }

/** WordPress carries the request out; its answer is lost. */
export const resetAfter: Fault = {
  name: 'reset after WordPress committed',
  async apply({ forward, reset }) {
    await forward()
    reset()
  },
}

/** WordPress never hears of the request, and nothing is answered until the client gives up. */
export const stallBefore: Fault = { name: 'stalled before WordPress', apply: () => undefined }

/** WordPress carries the request out, and nothing is answered until the client gives up. */
export const stallAfter: Fault = {
  name: 'stalled after WordPress committed',
  async apply({ forward }) {
    await forward()
  },
}

/** The answer comes, late. */
export const slow = (ms: number): Fault => ({
  name: `slow by ${ms} ms`,
  async apply({ forward, reply }) {
    const answer = await forward()
    await wait(ms)
    reply(answer)
  },
})

/** The answer breaks off in its middle, short of its declared length. */
export const truncate: Fault = {
  name: 'truncated',
  async apply({ forward, cut }) {
    const answer = await forward()
    cut(answer, Math.floor(answer.body.length / 2))
  },
}

/** Somebody else answers, and WordPress hears nothing. */
export const answer = (page: Reply, name = `${page.status} without effect`): Fault => ({
  name,
  apply: ({ reply }) => reply(page),
})

/** WordPress carries the request out, and somebody else answers. */
export const answerAfter = (page: Reply, name = `${page.status} with effect`): Fault => ({
  name,
  async apply({ forward, reply }) {
    await forward()
    reply(page)
  },
})

/** WordPress's own answer, changed on its way. */
export const alter = (name: string, change: (reply: Reply) => Reply): Fault => ({
  name,
  async apply({ forward, reply }) {
    reply(change(await forward()))
  },
})

/** The request reaches WordPress without these headers. */
export const withoutHeaders = (...names: string[]): Fault => ({
  name: `without ${names.join(', ')}`,
  async apply({ request, forward, reply }) {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !names.includes(name)),
    )
    reply(await forward({ headers }))
  },
})

/** The request reaches WordPress with these headers besides its own. */
export const withHeaders = (added: Record<string, string>): Fault => ({
  name: `with ${Object.keys(added).join(', ')}`,
  async apply({ request, forward, reply }) {
    reply(await forward({ headers: { ...request.headers, ...added } }))
  },
})

/** Text before and after the body, as PHP notices, byte order marks and cache comments are. */
export const wrapped = (name: string, before: string, after = ''): Fault =>
  alter(name, (reply) => ({
    ...reply,
    body: Buffer.concat([Buffer.from(before), reply.body, Buffer.from(after)]),
  }))

/** The request reaches WordPress twice, as through a proxy that lost the first answer and tries again. */
export const sentTwice: Fault = {
  name: 'sent twice',
  async apply({ forward, reply }) {
    await forward()
    reply(await forward())
  },
}

/** The connection is reset, and WordPress carries the request out so many milliseconds later all the same. */
export const lateEffect = (ms: number): Fault => ({
  name: `reset, and carried out ${ms} ms later`,
  async apply({ forward, reset }) {
    reset()
    await wait(ms)
    await forward()
  },
})
