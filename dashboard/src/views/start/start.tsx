import './start.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { __, sprintf } from '@wordpress/i18n'
import { useAddressSearch } from '../../app/address-search.ts'
import { useMay, useMayConnect } from '../../app/session-context.ts'
import { Below } from '../../components/below.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Head } from '../../components/head.tsx'
import { Message, NoRight, QueryResult } from '../../components/states.tsx'
import { unusableQuery } from '../../data/sources.ts'
import { Activity } from './activity.tsx'
import { Causes } from './causes.tsx'
import { Losses, Review } from './posts.tsx'
import { anyDeliveryQuery, anySiteQuery, upperQueries } from './queries.ts'

/** The start: what needs a person, and what was delivered. */
export default function Start() {
  const [{ label }] = useAddressSearch()
  const mayConnect = useMayConnect()
  if (!useMay('deliveries.read')) return <NoRight />
  return (
    <>
      <Head
        title={__('Start', 'galley')}
        actions={
          mayConnect && <LinkButton to="/sites/import">{__('Import a list of sites', 'galley')}</LinkButton>
        }
      >
        {label && (
          <>
            {/* translators: %s: a label */}
            {sprintf(__('Sites with the label “%s”', 'galley'), label)}
            {' · '}
            <Link to="/">{__('Show all sites', 'galley')}</Link>
          </>
        )}
      </Head>
      <Parts />
    </>
  )
}

function Parts() {
  const [{ label }] = useAddressSearch()
  const seesSenders = useMay('sources.read') && label === undefined
  const sites = useQuery(anySiteQuery())
  const mayConnect = useMayConnect()
  const mayChange = useMay('sites.change')
  return (
    <QueryResult query={sites}>
      {({ data }) =>
        data.length === 0 ? (
          <section className="g-card">
            <Message
              title={__('Welcome to Galley', 'galley')}
              actions={
                mayConnect && (
                  <LinkButton primary to="/welcome">
                    {__('Connect your first site', 'galley')}
                  </LinkButton>
                )
              }
            >
              <p>
                {__(
                  'Finished documents become posts on WordPress sites. It starts with a site: three minutes to the first post.',
                  'galley',
                )}
              </p>
            </Message>
          </section>
        ) : (
          <>
            {mayChange && data[0]?.last_delivery === null && <FirstRun />}
            <Causes />
            <Below queries={[...upperQueries(label), ...(seesSenders ? [unusableQuery()] : [])]}>
              <Losses />
              <Review />
              <Activity />
            </Below>
          </>
        )
      }
    </QueryResult>
  )
}

/** The next step, with a site and without deliveries. */
function FirstRun() {
  const { data } = useQuery(anyDeliveryQuery())
  if (data === undefined || data.data.length > 0) return null
  return (
    <section className="g-card g-section">
      <Message
        title={__('A site is connected, and no document has come yet', 'galley')}
        actions={
          <LinkButton primary to="/welcome">
            {__('Publish your first post', 'galley')}
          </LinkButton>
        }
      >
        <p>
          {__('What is left is an address for your documents, and a sample that becomes a draft.', 'galley')}
        </p>
      </Message>
    </section>
  )
}
