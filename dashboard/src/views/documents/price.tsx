import type { UseQueryResult } from '@tanstack/react-query'
import { __, sprintf } from '@wordpress/i18n'
import type { Price } from '../../api/client.ts'
import { credits } from './words.tsx'

/** What a request would cost, what the account has, and whether it can be made here at all. */
export function PriceOf({ price: { data, isError } }: { price: UseQueryResult<Price> }) {
  if (data?.unavailable) return <Unavailable reason={data.unavailable} />
  const tooMuch = data?.credits != null && data.credits < data.price
  return (
    <p className={`g-price ${tooMuch ? 'g-field-mistake' : ''}`} role="status">
      {data === undefined ? (
        isError && __('The price is shown once everything above is right.', 'galley')
      ) : (
        <>
          <strong>
            {sprintf(
              // translators: %s: `12 credits`
              __('Costs %s.', 'galley'),
              credits(data.price),
            )}
          </strong>{' '}
          {data.credits === null
            ? __('The account has no limit: the use is counted, and nothing is charged.', 'galley')
            : sprintf(
                // translators: %s: `12 credits`
                __('The account has %s.', 'galley'),
                credits(data.credits),
              )}{' '}
          {tooMuch && __('Whoever runs this Galley can give it more.', 'galley')}
        </>
      )}
    </p>
  )
}

/** Nobody here can make it, and what can be done about that. */
export const Unavailable = ({ reason }: { reason: NonNullable<Price['unavailable']> }) => (
  <section className="g-card g-section g-told warning">
    <h2>{__('This cannot be created here yet', 'galley')}</h2>
    <p>{reason.message}</p>
  </section>
)
