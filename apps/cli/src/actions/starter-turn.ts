/** The turn that `holdfast init` writes. */
export const starterTurn: string = `# yaml-language-server: $schema=./node_modules/@holdfast/manifest/schema/turn.schema.json
# A turn: calls that run in parallel unless one depends on another. Run it with: holdfast run turn.yaml
timeout_ms: 60000

calls:
  # Fails once with HTTP 503, and is retried.
  - call_id: flight
    tool_id: flight_search
    arguments: { from: OSL, to: LIS }

  # Its provider is down, and the alternative answers.
  - call_id: hotel
    tool_id: hotel_search
    arguments: { city: Lisbon }

  # Waits for the flight because it refers to its output. The answer is lost: it may have been sent, so it is not sent again.
  - call_id: confirmation
    tool_id: send_confirmation
    arguments:
      flight: { $from: flight, path: offers.0.flight }
    optional: true # the turn can succeed without it
`;
