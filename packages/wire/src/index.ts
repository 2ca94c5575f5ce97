// Transcripts

// Arguments, schemas, streams
export {};
