"""From fetches and feeds to one ordered list of nodes for each device."""
