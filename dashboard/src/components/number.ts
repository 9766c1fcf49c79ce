import { formatter } from './formatter.ts'

const numbers = formatter((language) => new Intl.NumberFormat(language))

/** A number as it is written: `12,500`. */
export const inWords = (value: number): string => numbers().format(value)

/** A text with its number, which stands in it as `%d`: `12,500 deliveries`. */
export const withNumber = (text: string, number: number): string =>
  // what writes larger ones takes some 10 ms to make, the first time: before the first row of a list is there
  text.replace('%d', number < 1000 ? String(number) : inWords(number))
