import { currentLocale } from '../i18n.ts'

/**
 * Makes something of `Intl` when it is first asked for, and keeps it: to make one takes a hundred times as long as to use it, and
 * the language is another one only after the page was loaded anew.
 */
export function formatter<Made>(make: (locale: string) => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make(currentLocale())
    return made
  }
}
