import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { Area, Select } from '../../components/form.tsx'
import { tiers } from './choices.ts'
import { type AudioDraft, audioDraft, audioRequest } from './drafts.ts'
import { WebhookAddress } from './form-groups.tsx'
import { type EarlierRequest, JobForm, NewJob, useCreateJob } from './new-job.tsx'
import { SpeechFields } from './speech.tsx'

/** The form for audio. */
export default function NewAudio() {
  return <NewJob kind="audio">{(earlier) => <AudioForm earlier={earlier} />}</NewJob>
}

function AudioForm({ earlier }: { earlier: EarlierRequest }) {
  const [draft, setDraft] = useState<AudioDraft>(() => audioDraft(earlier))
  const creation = useCreateJob('audio', audioRequest(draft))
  const change = (changes: Partial<AudioDraft>) => setDraft({ ...draft, ...changes })
  return (
    <JobForm submit={__('Create audio', 'galley')} creation={creation} incomplete={draft.text.trim() === ''}>
      <Area
        label={__('What is read aloud', 'galley')}
        help={__('10 to 100,000 characters.', 'galley')}
        rows={8}
        value={draft.text}
        onChange={(text) => change({ text })}
        path="body.text"
      />
      <SpeechFields speech={draft.speech} onChange={(speech) => change({ speech })} path="body" />
      <Select
        label={__('Tier of models', 'galley')}
        guide="generation.md#models"
        value={draft.model}
        onChange={(model) => change({ model })}
        options={tiers()}
        path="body.model"
      />
      <WebhookAddress value={draft.webhook_url} onChange={(webhook_url) => change({ webhook_url })} />
    </JobForm>
  )
}
