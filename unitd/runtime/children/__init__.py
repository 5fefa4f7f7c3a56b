"""Unit programs: started, watched, limited in memory, restarted."""
