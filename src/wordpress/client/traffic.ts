import type { Traffic } from './types.ts'

/** Every request at once and by itself; nothing is remembered, and every failure believed. */
export const direct: Traffic = {
  send: ({ request, exchange, beforeSend }) => exchange(request, beforeSend),
  async gather(_, item, many) {
    const [found] = await many([item])
    return found as Awaited<ReturnType<typeof many>>[number]
  },
  remember: (_, learn) => learn(),
  forget: () => undefined,
  again: async () => false,
  isOfOne: () => true,
  persists: () => true,
  watch: () => () => null,
  paused: () => undefined,
}
