import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { Time } from '../../components/time.tsx'
import { causesQuery } from '../../data/deliveries.ts'
import { siteQuery } from '../../data/sites.ts'

type Search = Record<string, string>

/** What the address asks for beside the filters of the table. */
const KEYS = ['code', 'site_id', 'document_id', 'created_from'] as const

export const isNarrowed = (search: Search): boolean => KEYS.some((key) => search[key] !== undefined)

/** Which deliveries alone the list has, where its address says so, and the way to all of them. */
export function Narrowed({ code, site_id, document_id, created_from }: Search) {
  return (
    <p className="g-section">
      {code && (
        <>
          <OfCause code={code} />{' '}
        </>
      )}
      {site_id && (
        <>
          <OfSite id={site_id} />{' '}
        </>
      )}
      {document_id && <>{__('Only those of one document.', 'galley')} </>}
      {created_from && !Number.isNaN(Date.parse(created_from)) && (
        <>
          {__('Only those that arrived since:', 'galley')} <Time at={created_from} exact />{' '}
        </>
      )}
      <Link to="/deliveries">{__('Show all', 'galley')}</Link>
    </p>
  )
}

/** What those of a cause have in common: in words while any of them waits for somebody. */
function OfCause({ code }: { code: string }) {
  const { data } = useQuery(causesQuery())
  const cause = data?.data.find((one) => one.code === code)
  if (cause) return <>{cause.sentence}</>
  return (
    <>
      {sprintf(
        // translators: %s: a code such as CREDENTIALS_INVALID
        __('Only those with the code %s.', 'galley'),
        code,
      )}
    </>
  )
}

function OfSite({ id }: { id: string }) {
  const { data: site } = useQuery(siteQuery(id))
  if (site === undefined) return <>{__('Only those of one site.', 'galley')}</>
  return (
    <>
      {__('Only those of the site', 'galley')}{' '}
      <Link to="/sites/$id" params={{ id } as never}>
        {site.name}
      </Link>
      {'.'}
    </>
  )
}
