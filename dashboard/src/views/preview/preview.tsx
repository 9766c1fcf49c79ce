import './preview.css'
import { useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useCallback, useEffect, useState } from 'react'
import { useAddressSearch } from '../../app/address-search.ts'
import { Head } from '../../components/head.tsx'
import { describeError } from '../../components/states.tsx'
import { deliveryQuery, eventQuery } from '../../data/deliveries.ts'
import { siteQuery } from '../../data/sites.ts'
import { Choose, ReceivedDocuments } from './choose.tsx'
import { type Given, NoDocument, readEvent, readFile } from './document.ts'
import { Matrix } from './matrix.tsx'
import { MatrixForm, type MatrixRequest } from './matrix-form.tsx'
import { One } from './one.tsx'

/** A document, its sites, and previews. Nothing is written without confirmation. */
export default function PreviewPage() {
  const { given, mistake, takeFile, takeDelivery } = useGiven()
  const [past, setPast] = useState(false)
  const [ask, setAsk] = useState<MatrixRequest>()
  const [looked, setLooked] = useState<string>()
  useEffect(() => {
    setLooked(undefined)
    // The result is of the document before.
    if (given !== ask?.given) setAsk(undefined)
  }, [given, ask])

  return (
    <>
      <Head title={__('Preview', 'galley')}>
        {__('What a document would become, before anything is written.', 'galley')}
      </Head>
      <Choose given={given} mistake={mistake} onFile={takeFile} past={past} onPast={() => setPast(!past)} />
      {past && (
        <ReceivedDocuments
          onTake={(id) => {
            setPast(false)
            void takeDelivery(id)
          }}
        />
      )}
      {given && <MatrixForm key={given.key} given={given} onAsk={setAsk} />}
      {ask && isOne(ask) && <One key={ask.id} ask={ask} siteId={ask.siteIds[0] ?? ''} />}
      {ask && !isOne(ask) && <Matrix key={ask.id} ask={ask} looked={looked} onLook={setLooked} />}
      {ask && looked && <One key={looked} ask={ask} siteId={looked} onBack={() => setLooked(undefined)} />}
    </>
  )
}

const isOne = ({ siteIds, labels, all }: MatrixRequest): boolean =>
  !all && labels.length === 0 && siteIds.length === 1

/** The document, from a file or from the event in the address (`?event=…&site=…`). */
function useGiven() {
  const queryClient = useQueryClient()
  const [{ event, site }, setSearch] = useAddressSearch()
  const [given, setGiven] = useState<Given>()
  const [mistake, setMistake] = useState<string>()

  const take = useCallback(
    async (reading: Promise<Given>) => {
      setMistake(undefined)
      try {
        const read = await reading
        // The document's own site, if it is one of the account's.
        const found = read.siteId && (await queryClient.fetchQuery(siteQuery(read.siteId)).catch(() => null))
        setGiven({ ...read, siteId: found ? read.siteId : undefined })
      } catch (error) {
        setGiven(undefined)
        setMistake(error instanceof NoDocument ? error.message : describeError(error).text)
      }
    },
    [queryClient],
  )

  useEffect(() => {
    if (event === undefined) return
    const reading = queryClient.fetchQuery(eventQuery(event)).then(readEvent)
    void take(reading.then((read) => ({ ...read, siteId: site ?? read.siteId })))
  }, [event, site, take, queryClient])

  function takeFile(file: File) {
    if (event !== undefined) setSearch({ event: undefined, site: undefined })
    void take(readFile(file))
  }
  const takeDelivery = (id: string) =>
    queryClient.fetchQuery(deliveryQuery(id)).then(
      ({ event_id, site_id }) => setSearch({ event: event_id, site: site_id }),
      (error) => setMistake(describeError(error).text),
    )
  return { given, mistake, takeFile, takeDelivery }
}
