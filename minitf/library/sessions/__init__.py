"""Sessions that look after themselves: monitored sessions, hooks, supervisors, replicas in step."""
