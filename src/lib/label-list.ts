/** A quoted label, with doubled quotes, or all up to a separator; bounded, so that open quotes take linear time. */
const LABEL = /[ \t]{0,20}"((?:[^"]|""){0,250})"[ \t]{0,20}(?=[,;\r\n]|$)|[^,;\r\n]+/g

/** The labels that a person writes as text: `news, weekly`, `news;weekly`, or `"Press, local"; weekly`. */
export const parseLabels = (text: string): string[] => [
  ...new Set(
    [...text.matchAll(LABEL)]
      .map(([plain, quoted]) => (quoted?.replaceAll('""', '"') ?? plain).trim())
      .filter(Boolean),
  ),
]

/** Labels as text that {@link parseLabels} reads back. */
export const formatLabels = (labels: readonly string[], separator = ', '): string =>
  labels.map((label) => (/^"|[,;]/.test(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(separator)
