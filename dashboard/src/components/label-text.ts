import { __ } from '@wordpress/i18n'

/** Help for a field of labels, which `parseLabels` reads. */
export const labelsHelp = () =>
  __('Separated by commas. One with a comma in it stands in quotes: "Press, local".', 'galley')
