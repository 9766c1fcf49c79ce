import type { Subject } from '../failures/index.ts'

const MEBIBYTE = 1024 * 1024

/** Bytes of the index of a REST API: it names every route of every plugin. */
export const LARGEST_INDEX = 4 * MEBIBYTE

/**
 * Bytes of an answer, by what it is about. A post comes back with its text three times and more: as it was sent, as it
 * is shown, and as plugins tell it to search engines. JSON takes many times its length when it is read, so nothing gets
 * more than it needs.
 */
export const LARGEST_ANSWER: Record<Subject, number> = {
  post: 8 * MEBIBYTE,
  site: LARGEST_INDEX,
  media: 2 * MEBIBYTE,
  term: 2 * MEBIBYTE,
  user: 2 * MEBIBYTE,
}

/** Bytes of the answers to several requests: a body of 900 kB comes back three times, and with each post goes what plugins add. */
export const LARGEST_BATCH = 16 * MEBIBYTE

/**
 * Values in one JSON text. An empty object takes three bytes to send and sixty to keep, so that bytes alone limit
 * little; the largest true answers, indexes of sites with many plugins, have a tenth of this.
 */
export const MOST_VALUES = 500_000
