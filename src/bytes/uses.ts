/**
 * What bytes are held for, and the part of the whole that each has for itself. The parts are apart for two reasons:
 * pictures of a slow host must not keep webhooks out, and nobody may wait in a circle. A delivery holds its document
 * while it waits for a file, and the file while it waits to read the site's answer, never the other way round; within
 * one use, all is taken at once. So whoever is first in line gets its turn when those before it end, and they do not
 * wait for it.
 */
export const uses = {
  /** Bodies of requests to this process, webhooks above all, until they are stored. Nobody waits: it is 503. */
  webhooks: 1 / 4,
  /** Documents that are being delivered or previewed, as they become in memory. */
  documents: 3 / 16,
  /** Webhooks that somebody reads again, until the answer is out: who reads slowly keeps nobody from delivering. */
  events: 1 / 16,
  /** Pictures and narration, from their download to the end of their upload. */
  files: 3 / 8,
  /** Answers of sites that are longer than most (`outbound/body.ts`). */
  answers: 1 / 8,
} as const

export type Use = keyof typeof uses
