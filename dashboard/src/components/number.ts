import { formatter } from './formatter.ts'

const numbers = formatter((language) => new Intl.NumberFormat(language))

/** A number as it is written: `12,500`. */
export const inWords = (value: number): string => numbers().format(value)
