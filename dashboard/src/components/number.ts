import { formatter } from './formatter.ts'

const numbers = formatter((language) => new Intl.NumberFormat(language))

/** A number as it is written: `12,500`. */
export const inWords = (value: number): string => numbers().format(value)

/** A text with its number, which stands in it as `%d`: `12,500 deliveries`. */
export const withNumber = (text: string, number: number): string => text.replace('%d', inWords(number))
