import '../../components/plain-table.css'
import { useQuery } from '@tanstack/react-query'
import { __, _n, sprintf } from '@wordpress/i18n'
import type { CreditEntry } from '../../api/client.ts'
import { useAddressSearch } from '../../app/address-search.ts'
import { inWords } from '../../components/number.ts'
import { QueryResult } from '../../components/states/query-result.tsx'
import { Pager } from '../../components/table/pager.tsx'
import { Time } from '../../components/time.tsx'
import { creditsQuery } from '../../data/accounts.ts'

const kinds: Record<CreditEntry['kind'], () => string> = {
  grant: () => __('Granted', 'galley'),
  charge: () => __('Spent', 'galley'),
  refund: () => __('Refunded', 'galley'),
}

/** What moved the account's credits; their sum is the balance, always. */
export function Credits() {
  const [{ cursor }, look] = useAddressSearch()
  const query = useQuery(creditsQuery({ cursor, limit: 20 }))
  return (
    <section className="g-card g-section" aria-labelledby="credits">
      <h2 id="credits">{__('Credits', 'galley')}</h2>
      <QueryResult query={query}>
        {({ data, balance, unlimited, next_cursor }) => (
          <>
            <p>
              {unlimited
                ? __('Without limit: what is created costs nothing, and is still counted.', 'galley')
                : sprintf(
                    // translators: %s: a number
                    _n('%s credit is left.', '%s credits are left.', balance, 'galley'),
                    inWords(balance),
                  )}
            </p>
            {data.length === 0 ? (
              <p className="g-weak">{__('No entries yet.', 'galley')}</p>
            ) : (
              <Entries entries={data} />
            )}
            <Pager cursor={cursor} next={next_cursor} onLook={(next) => look({ cursor: next })} />
          </>
        )}
      </QueryResult>
    </section>
  )
}

const Entries = ({ entries }: { entries: CreditEntry[] }) => (
  <table className="g-plain-table" aria-labelledby="credits">
    <thead>
      <tr>
        <th scope="col">{__('When', 'galley')}</th>
        <th scope="col">{__('What', 'galley')}</th>
        <th scope="col">{__('What for', 'galley')}</th>
        <th scope="col" className="g-number">
          {__('Credits', 'galley')}
        </th>
      </tr>
    </thead>
    <tbody>
      {entries.map(({ id, kind, amount, price, note, created_at }) => (
        <tr key={id}>
          <td>
            <Time at={created_at} />
          </td>
          <th scope="row">{kinds[kind]()}</th>
          <td>{note}</td>
          {/* Of an account without limit nothing is taken: the price stands where the amount would. */}
          <td className="g-number">{amount === 0 ? `(${inWords(price)})` : inWords(amount)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
