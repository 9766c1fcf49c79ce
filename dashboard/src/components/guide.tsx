import { __ } from '@wordpress/i18n'

/** A link to a heading of the documentation, such as `contract.md#signatures`; a test looks for each of them there. */
export const Guide = ({ to }: { to: string }) => (
  <a href={`/docs/${to}`} target="_blank" rel="noreferrer">
    {__('Read more', 'galley')}
  </a>
)
