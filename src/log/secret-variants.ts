import { escapeUTF8 } from 'entities'

const REDACTED = '[redacted]'

/** In the place of what HTML escapes, PHP writes a number for an apostrophe. */
const htmlEncodings = (text: string): string[] => {
  const named = escapeUTF8(text)
  return [named, named.replaceAll('&apos;', '&#039;')]
}

/** As JSON has it: plainly, as PHP writes slashes, and as Go and PHP write what HTML could take for its own. */
const jsonEncodings = (text: string): string[] => {
  const plain = JSON.stringify(text).slice(1, -1)
  const harmless = plain.replace(
    /[<>&']/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
  return [plain, plain.replaceAll('/', '\\/'), harmless]
}

const urlEncodings = (text: string): string[] => {
  const upper = encodeURIComponent(text)
  return [
    upper,
    upper.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    upper.replaceAll('%20', '+'),
  ]
}

/** A secret in every way in which an answer, error page or log repeats it, the longest first: as is, in URLs, HTML, JSON. */
export function secretEncodings(secrets: readonly string[]): string[] {
  const spelled = secrets.flatMap((text) => [
    text,
    ...urlEncodings(text),
    ...jsonEncodings(text),
    ...htmlEncodings(text),
  ])
  // What was sent may be quoted as a text of JSON that is one again.
  return [...new Set(spelled.flatMap((text) => [text, ...jsonEncodings(text)]))]
    .filter((text) => text !== '')
    .sort((a, b) => b.length - a.length)
}

/** As {@link secretEncodings} has it where nothing but the secret is sent, and in base64 too. */
const secretVariants = (secret: string): string[] =>
  secretEncodings([secret, Buffer.from(secret).toString('base64')])

/** A text without any of these. */
export const redactVariants = (text: string, echoes: readonly string[]): string =>
  echoes.reduce((rest, echo) => rest.replaceAll(echo, REDACTED), text)

/** A quoted text without the secret. A short one may be a part of words, and is removed where it is a word of its own. */
export const redactSecret = (text: string, secret: string): string =>
  secretVariants(secret).reduce(
    (rest, variant) =>
      isLongEnoughToRedact(variant) ? rest.replaceAll(variant, REDACTED) : redactWord(rest, variant),
    text,
  )

const redactWord = (text: string, word: string): string =>
  text.replaceAll(word, (_, at: number) =>
    /\w/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(at + word.length)) ? word : REDACTED,
  )

/** Bytes without any of these; the same ones, where there is none. */
export const redactVariantsInBytes = (bytes: Buffer, echoes: readonly string[]): Buffer =>
  echoes.some((echo) => bytes.includes(echo))
    ? Buffer.from(redactVariants(bytes.toString('utf8'), echoes))
    : bytes

/** So short a word may stand in a text by itself. */
export const isLongEnoughToRedact = ({ length }: string): boolean => length >= 8
