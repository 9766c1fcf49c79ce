import { __ } from '@wordpress/i18n'

/** Galley's own sources, by their names in the API. */
const builtIn: Readonly<Record<string, () => string>> = {
  'Documents that Galley creates': () => __('Documents that Galley creates', 'galley'),
  'Documents sent to POST /v1/deliveries': () => __('Documents sent to POST /v1/deliveries', 'galley'),
}

/** The name of a source, as its maker gave it; one of Galley's own has words. */
export const sourceName = (name: string): string => builtIn[name]?.() ?? name
