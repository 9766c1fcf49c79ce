import { z } from 'zod'

/**
 * How answers of the API spell a code, so that every failure is spelled alike. What is stored and shown as a fact (a
 * delivery's error, a report's finding, a warning) keeps its code in lower case.
 */
export const apiCode = (code: string): string => code.toUpperCase()

/** The code of a failure as the API answers it. */
export const apiCodeSchema = z.string().regex(/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/)
