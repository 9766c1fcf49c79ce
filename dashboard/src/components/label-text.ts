import { __ } from '@wordpress/i18n'

/** Help for a field of labels. */
export const labelsHelp = () =>
  __('Separated by commas. One with a comma in it stands in quotes: "Press, local".', 'galley')

/** A quoted label, with doubled quotes as in CSV; or everything up to the next comma. */
const LABEL = /\s*"((?:[^"]|"")*)"\s*(?=,|$)|[^,]+/g

/** The labels in `news, "Press, local"`. */
export const labelsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(LABEL)]
      .map(([plain, quoted]) => (quoted?.replaceAll('""', '"') ?? plain).trim())
      .filter(Boolean),
  ),
]

/** Labels as text that {@link labelsIn} parses to the same labels. */
export const labelText = (labels: readonly string[]): string =>
  labels.map((label) => (/^"|,/.test(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(', ')
