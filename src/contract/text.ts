import { z } from 'zod'

/**
 * Whether a text can be stored as it is: PostgreSQL holds no NUL, and no half of a surrogate pair, which is no
 * character and cannot be written as UTF-8.
 */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

const unstorable = 'has a NUL, or half of a surrogate pair, which is no character'

/** Any text that enters from outside, at most `most` UTF-16 code units long. Whatever has no schema of its own uses this. */
export const text = (most: number) => z.string().max(most).refine(isStorable, unstorable)

/** Marks that turn over the order in which what follows is shown, also in the text behind a name (Unicode 9, 2.1 to 2.5). */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/

/**
 * A text that people read in one line, as a name is: not empty, and without control characters, such as line breaks. Others
 * read it too, so it is shown as it is written; letters of every script have their direction without a mark.
 */
export const line = (most: number) =>
  z
    .string()
    .max(most)
    .trim()
    .min(1)
    .refine(isStorable, unstorable)
    .refine((value) => !/\p{Cc}/u.test(value), 'has a control character, such as a line break')
    .refine((value) => !TURNS.test(value), 'has an invisible mark that turns the direction of text over')

/** Characters as people count them: one outside the Basic Multilingual Plane is two UTF-16 code units, and one character. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Any text of so many characters, as {@link countCharacters} counts: zod, from 4.6, and JSON Schema count alike. */
export const characters = (least: number, most: number) =>
  z.string().min(least).max(most).refine(isStorable, unstorable)
