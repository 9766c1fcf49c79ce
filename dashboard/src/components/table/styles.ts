import { isRTL } from '@wordpress/i18n'

// The packages have a style sheet for each direction, and ours comes after theirs. Before the direction is known no table is
// loaded: the language is the first thing that the page asks for.
await (isRTL() ? import('./styles-rtl.ts') : import('./styles-ltr.ts'))
