import { useQuery } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import { accountQuery } from '../../data/jobs.ts'
import { credits } from './words.tsx'

/** What the account has to pay with. */
export function Balance() {
  const { data } = useQuery(accountQuery())
  if (data === undefined) return null
  if (data.unlimited) return <>{__('The account has no credit limit.', 'galley')}</>
  return (
    <>
      {sprintf(
        // translators: %s: `12 credits`
        __('The account has %s.', 'galley'),
        credits(data.credits),
      )}
    </>
  )
}
