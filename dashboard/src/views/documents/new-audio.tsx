import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { Area } from '../../components/field.tsx'
import { Select } from '../../components/form.tsx'
import { audioDraft } from './begin.ts'
import { tiers } from './choices.ts'
import { useCreateJob } from './create-job.ts'
import { type AudioDraft, audioRequest } from './drafts.ts'
import { JobForm, type Kept, NewJob } from './new-job.tsx'
import { SpeechFields } from './speech.tsx'
import { WebhookAddress } from './webhook-address.tsx'

/** A text to be read out. */
export default function NewAudio() {
  return <NewJob kind="audio">{(kept) => <AudioForm kept={kept} />}</NewJob>
}

function AudioForm({ kept }: { kept: Kept }) {
  const [draft, setDraft] = useState<AudioDraft>(() => audioDraft(kept))
  const creation = useCreateJob('audio', audioRequest(draft))
  const { failure } = creation
  const change = (changes: Partial<AudioDraft>) => setDraft({ ...draft, ...changes })
  return (
    <JobForm submit={__('Read it aloud', 'galley')} creation={creation} incomplete={draft.text.trim() === ''}>
      <Area
        label={__('What is read aloud', 'galley')}
        help={__('10 to 100,000 characters.', 'galley')}
        rows={8}
        value={draft.text}
        onChange={(text) => change({ text })}
        failure={failure}
        path="body.text"
      />
      <SpeechFields
        speech={draft.speech}
        onChange={(speech) => change({ speech })}
        failure={failure}
        path="body"
      />
      <Select
        label={__('Tier of models', 'galley')}
        value={draft.model}
        onChange={(model) => change({ model })}
        options={tiers()}
        failure={failure}
        path="body.model"
      />
      <WebhookAddress
        value={draft.webhook_url}
        onChange={(webhook_url) => change({ webhook_url })}
        failure={failure}
      />
    </JobForm>
  )
}
