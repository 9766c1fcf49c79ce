import { closest } from './contract/closest.ts'

/** Variables of the other programs of this repository, and of the commands that speak to a Galley. */
const ofOthers = /^GALLEY_(DEMO|TEST|FAULTS|BENCH|HOSTILE|URL$|KEY$)/

const isStranger = (name: string, known: readonly string[]): boolean =>
  /^GALLEY_/i.test(name) && !known.includes(name) && !ofOthers.test(name)

/** What a name says beside `GALLEY_`, which some settings have and others have not. */
const bare = (name: string): string => name.replace(/^GALLEY_/i, '')

/** The setting that a `GALLEY_…` nearly is, `GALLEY_PORT` and `GALLEY_SECRET_KEY` among them; undefined for any other. */
export function settingMeantBy(name: string, known: readonly string[]): string | undefined {
  if (!isStranger(name, known)) return undefined
  const meant = closest(bare(name), known.map(bare))
  return known.find((other) => bare(other) === meant)
}

/** The `GALLEY_…` that no setting is, nor nearly is: another version's, perhaps. */
export const unknownSettings = (variables: object, known: readonly string[]): string[] =>
  Object.keys(variables).filter(
    (name) => isStranger(name, known) && settingMeantBy(name, known) === undefined,
  )
