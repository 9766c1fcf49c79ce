import { currentLocale } from '../i18n.ts'

/**
 * Creates an `Intl` formatter on first use and keeps it: creating one takes a hundred times as long as using it. The language changes
 * only with a reload.
 */
export function formatter<Made>(make: (locale: string) => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make(currentLocale())
    return made
  }
}

const numbers = formatter((language) => new Intl.NumberFormat(language))

/** A number with separators: `12,500`. */
export const formatNumber = (value: number): string => numbers().format(value)

/** A number that was counted up to a limit: `10,000+` where there are more. */
export const formatBounded = ({ count, more }: { count: number; more: boolean }): string =>
  `${formatNumber(count)}${more ? '+' : ''}`

/** A text with its number in place of `%d`: `12,500 deliveries`. */
export const withNumber = (text: string, number: number): string =>
  // Small numbers need no formatter, whose creation takes some 10 ms before the first row.
  text.replace('%d', number < 1000 ? String(number) : formatNumber(number))
