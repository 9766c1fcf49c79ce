import { __ } from '@wordpress/i18n'

/** How a line of labels is written. */
export const labelsHelp = () =>
  __('Separated by commas. One with a comma in it stands in quotes: "Press, local".', 'galley')

/** A label in quotes, with the quotes in it twice, as in CSV; or whatever stands up to the next comma. */
const LABEL = /\s*"((?:[^"]|"")*)"\s*(?=,|$)|[^,]+/g

/** `news, "Press, local"` as the API has labels. */
export const labelsIn = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(LABEL)]
      .map(([plain, quoted]) => (quoted?.replaceAll('""', '"') ?? plain).trim())
      .filter(Boolean),
  ),
]

/** Labels as people write them, so that {@link labelsIn} finds the same again. */
export const labelText = (labels: readonly string[]): string =>
  labels.map((label) => (/^"|,/.test(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(', ')
